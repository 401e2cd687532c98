data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

# terraform apply -invoke=action.rnv_resume.api
action "rnv_resume" "api" {
  config {
    service_id = data.rnv_service.api.id
  }
}
