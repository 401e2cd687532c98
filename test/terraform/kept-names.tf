
resource "rnv_project" "shop" {
  name = "<name>"
}
resource "rnv_service" "api" {
  project_id = rnv_project.shop.id
  name       = "<name>"
  kind       = "web"
}
