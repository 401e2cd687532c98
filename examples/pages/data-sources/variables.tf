data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

data "rnv_variables" "api" {
  service_id = data.rnv_service.api.id
}

output "keys" {
  value = data.rnv_variables.api.keys
}
