
data "rnv_project" "shop" { name = "Shop" }
data "rnv_service" "api" {
  name       = "api"
  project_id = data.rnv_project.shop.id
}
ephemeral "rnv_variable_value" "token" {
  service_id = data.rnv_service.api.id
  key        = "TOKEN"
}
resource "rnv_variable" "copy" {
  service_id       = data.rnv_service.api.id
  key              = "COPY"
  value_wo         = ephemeral.rnv_variable_value.token.value
  value_wo_version = 1
}
