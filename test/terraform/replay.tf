resource "rnv_project" "shop" { name = "Shop" }
resource "rnv_service" "all" {
  count      = 6
  name       = "s${count.index}"
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    branch     = "v<version>"
  }
}
resource "rnv_variables" "all" {
  count      = 6
  service_id = rnv_service.all[count.index].id
  values     = { A = "<version>", B = "b" }
}
resource "rnv_variable" "token" {
  count      = 6
  service_id = rnv_service.all[count.index].id
  key        = "TOKEN"
  value      = "<version>"
}
resource "rnv_deployment" "all" {
  count      = 3
  service_id = rnv_service.all[count.index].id
  triggers = {
    config = rnv_service.all[count.index].revision
    vars   = rnv_variables.all[count.index].revision
    token  = rnv_variable.token[count.index].revision
  }
}
resource "rnv_deployment" "untriggered" {
  count      = 3
  service_id = rnv_service.all[count.index + 3].id
  depends_on = [rnv_variables.all, rnv_variable.token]
}
resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions  = { s0 = { x = <version>, y = 2 } }
  depends_on = [rnv_service.all]
}
data "rnv_services" "all" { project_id = rnv_project.shop.id }
