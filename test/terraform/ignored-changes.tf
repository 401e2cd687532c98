resource "rnv_project" "shop" {
  name        = "Shop"
  color       = "#00000<v>"
  description = "text <more>"
  lifecycle { ignore_changes = [color] }
}
resource "rnv_service" "api" {
  name       = "api"
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    branch     = "branch-<v>"
    replicas   = <more>
    repository = "https://git.example.com/shop/api"
  }
  lifecycle { ignore_changes = [configuration.branch] }
}
resource "rnv_variable" "level" {
  service_id = rnv_service.api.id
  key        = "LEVEL_<more>"
  value      = "value-<v>"
  lifecycle { ignore_changes = [value] }
}
resource "rnv_variables" "more" {
  service_id = rnv_service.api.id
  values     = { A = "a-<v>", B = "b-<more>" }
  lifecycle { ignore_changes = [values["A"]] }
}
resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions  = { (rnv_service.api.name) = { x = <v>, y = 0 } }
  viewport   = { x = <more>, y = 0, zoom = 1 }
  lifecycle { ignore_changes = [positions] }
}
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  commit     = "<commit>"
  triggers   = { config = rnv_service.api.revision, one = rnv_variable.level.revision, map = rnv_variables.more.revision }
  lifecycle { ignore_changes = [commit] }
}
