variable "database_url" {
  type      = string
  ephemeral = true
}

data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "worker" {
  project_id = data.rnv_project.shop.id
  name       = "worker"
}

# Variables that are not in the map are left alone.
resource "rnv_variables" "example" {
  service_id = data.rnv_service.worker.id

  values = {
    LOG_LEVEL   = "info"
    CONCURRENCY = "4"
  }
}

# Values that Terraform keeps nowhere.
resource "rnv_variables" "secret" {
  service_id        = data.rnv_service.worker.id
  values_wo         = { DATABASE_URL = var.database_url }
  values_wo_version = 1
}
