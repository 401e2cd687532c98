data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

data "rnv_deployments" "api" {
  service_id = data.rnv_service.api.id
  limit      = 5
}

output "latest" {
  value = try(data.rnv_deployments.api.items[0].status, "never deployed")
}
