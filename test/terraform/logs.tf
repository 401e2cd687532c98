
resource "rnv_service" "api" {
  name = "api"
  kind = "web"
}
resource "rnv_variable" "token" {
  service_id = rnv_service.api.id
  key        = "TOKEN"
  value      = "<secret>"
}
