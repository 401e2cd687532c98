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

resource "rnv_service" "docs" {
  name = "docs"
  kind = "static"
  configuration {
    repository = "https://git.example.com/shop/docs"
  }
}

resource "rnv_variables" "api" {
  service_id = rnv_service.api.id
  values     = { LEVEL = "info" }
}

resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  triggers   = { vars = jsonencode(rnv_variables.api.updated_at) }
}

resource "rnv_deployment" "docs" {
  service_id = rnv_service.docs.id
}

resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions  = { api = { x = 10, y = 20 } }
  depends_on = [rnv_service.api]
}

output "url" {
  value = rnv_service.api.url
}
