
resource "rnv_service" "api" {
  name     = "api"
  kind     = "web"
  archived = <archived>
  configuration {
    repository  = "https://git.example.com/shop/api"
    branch      = "<branch>"
    description = "<description>"
  }
}
resource "rnv_variable" "level" {
  service_id = rnv_service.api.id
  key        = "LEVEL"
  value      = "<level>"
}
resource "rnv_variables" "all" {
  service_id = rnv_service.api.id
  values     = <values>
}
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  <triggers>
  <deployment>
}
