terraform {
  required_version = ">= 1.11"
  required_providers {
    rnv = { source = "rnv/rnv" }
  }
}

# Address, workspace and key come from RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY.
provider "rnv" {
  deletion_protection = true
}

resource "rnv_project" "shop" {
  name = "Book shop"
}

resource "rnv_service" "api" {
  project_id = rnv_project.shop.id
  name       = "api"
  kind       = "web"

  # Only what is written here is managed; everything else stays as it is.
  configuration {
    repository        = "https://git.example.com/shop/api"
    runtime           = "node"
    health_check_path = "/healthz"
  }
}

resource "rnv_variables" "api" {
  service_id = rnv_service.api.id
  values     = { LOG_LEVEL = "info" }
}

resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  triggers   = { config = rnv_service.api.revision, vars = rnv_variables.api.revision }
}
