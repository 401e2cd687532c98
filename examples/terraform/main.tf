terraform {
  required_version = ">= 1.11"
  required_providers {
    rnv = { source = "rnv/rnv" }
  }
}

# Address, workspace and key come from RNV_BASE_URL, RNV_WORKSPACE_ID and RNV_API_KEY.
provider "rnv" {
  deletion_protection = var.deletion_protection
}

resource "rnv_project" "shop" {
  name        = "Shop"
  description = "The online shop"
}

resource "rnv_service" "api" {
  name       = "api"
  kind       = "web"
  project_id = rnv_project.shop.id

  # Only what is written here is managed; everything else stays as it is.
  configuration {
    repository        = "https://git.example.com/shop/api"
    branch            = "main"
    runtime           = "node"
    health_check_path = "/healthz"
  }

  lifecycle {
    prevent_destroy = false
  }
}

resource "rnv_service" "worker" {
  name       = "worker"
  kind       = "worker"
  project_id = rnv_project.shop.id

  configuration {
    repository    = "https://git.example.com/shop/worker"
    start_command = "node worker.js"
  }
}

resource "rnv_variables" "api" {
  service_id = rnv_service.api.id

  values = {
    LOG_LEVEL   = "info"
    WORKER_HOST = rnv_service.worker.internal_host
  }
}

# In no state and in no plan: raise the version to send a new value.
resource "rnv_variable" "queue_token" {
  service_id       = rnv_service.api.id
  key              = "QUEUE_TOKEN"
  value_wo         = var.queue_token
  value_wo_version = 1
}

# Runs in each apply that changes the service or a variable of it, after them.
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id

  triggers = {
    config = rnv_service.api.revision
    vars   = rnv_variables.api.revision
    token  = rnv_variable.queue_token.revision
  }

  timeouts {
    create = "20m"
    update = "20m"
  }
}

resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions  = "auto"
  triggers   = { services = join(",", [rnv_service.api.id, rnv_service.worker.id]) }
}
