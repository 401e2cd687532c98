data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

# terraform apply -invoke=action.rnv_clear_cache.api
action "rnv_clear_cache" "api" {
  config {
    service_id = data.rnv_service.api.id
    timeout    = "45m"
  }
}
