terraform {
  required_providers { rnv = { source = "rnv/rnv" } }
}
provider "rnv" {

}
resource "rnv_project" "shop" {
  name = "Shop"
}

resource "rnv_service" "api" {
  name       = "api"
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    branch     = "develop"
    replicas   = 2
  }
}

resource "rnv_variable" "token" {
  service_id = rnv_service.api.id
  key        = "TOKEN"
  value      = "stored-value"
}

resource "rnv_variable" "hidden" {
  service_id       = rnv_service.api.id
  key              = "HIDDEN"
  value_wo         = "stored-hidden"
  value_wo_version = 1
}

resource "rnv_variables" "shown" {
  service_id = rnv_service.api.id
  values     = { LEVEL = "info", MODE = "fast" }
}

resource "rnv_variables" "hidden" {
  service_id        = rnv_service.api.id
  values_wo         = { PASSWORD = "stored-password", SALT = "stored-salt" }
  values_wo_version = 1
}
