variable "queue_token" {
  type      = string
  ephemeral = true
}

data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

# In no state and in no plan: raise the version to send a new value.
resource "rnv_variable" "example" {
  service_id       = data.rnv_service.api.id
  key              = "QUEUE_TOKEN"
  value_wo         = var.queue_token
  value_wo_version = 1
}
