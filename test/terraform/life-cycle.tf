
resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "api" {
  name       = "api"
  kind       = "<kind>"
  project_id = rnv_project.shop.id
  <more>
  configuration {
    <configuration>
  }
}
