resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "api" {
  name       = "api"
  kind       = "<kind>"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    branch     = "v<version>"
  }
}
resource "rnv_variables" "api" {
  service_id = rnv_service.api.id
  values     = { A = "one", B = "two" }
}
resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions  = { api = { x = <version>, y = 2 } }
  depends_on = [rnv_service.api]
}
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  triggers   = { config = rnv_service.api.revision, vars = rnv_variables.api.revision, version = "<version>" }
  depends_on = [rnv_canvas_layout.shop]
}
