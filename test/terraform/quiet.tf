
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "api" {
  name       = "api"
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    plan       = "<plan>"
    replicas   = <replicas>
  }
}
resource "rnv_service" "docs" {
  name = "docs"
  kind = "static"
  configuration { repository = "https://git.example.com/shop/docs" }
}
