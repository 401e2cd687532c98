
resource "rnv_service" "<name>" {
  name       = "svc-<name>"
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    <more>
  }
}
