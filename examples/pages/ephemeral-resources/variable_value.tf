data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

data "rnv_service" "docs" {
  project_id = data.rnv_project.shop.id
  name       = "docs"
}

ephemeral "rnv_variable_value" "token" {
  service_id = data.rnv_service.api.id
  key        = "TOKEN"
}

# The same value for another service, without a copy in the state.
resource "rnv_variable" "token" {
  service_id       = data.rnv_service.docs.id
  key              = "TOKEN"
  value_wo         = ephemeral.rnv_variable_value.token.value
  value_wo_version = 1
}
