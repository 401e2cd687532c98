terraform {
  required_providers { rnv = { source = "rnv/rnv" } }
}
provider "rnv" {

}
resource "rnv_project" "shop" {
  name  = "Shop"
  adopt = true
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
  adopt = true
}

resource "rnv_variable" "level" {
  service_id = rnv_service.api.id
  key        = "LEVEL"
  value      = "info"
  adopt      = true
}

resource "rnv_variables" "more" {
  service_id = rnv_service.api.id
  values     = { MODE = "fast" }
  adopt      = true
}
