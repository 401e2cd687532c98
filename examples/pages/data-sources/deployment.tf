data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

# The one that serves now; `id` names another.
data "rnv_deployment" "api" {
  service_id = data.rnv_service.api.id
}

output "serving" {
  value = data.rnv_deployment.api.commit_sha
}
