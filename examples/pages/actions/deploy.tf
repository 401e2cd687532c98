data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

action "rnv_deploy" "api" {
  config {
    service_id = data.rnv_service.api.id
    wait       = false
  }
}

# On request: terraform apply -invoke=action.rnv_deploy.api
# Or after each change of another resource:
resource "terraform_data" "assets" {
  input = "2026-11-01"

  lifecycle {
    action_trigger {
      events  = [after_update]
      actions = [action.rnv_deploy.api]
    }
  }
}
