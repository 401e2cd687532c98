data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "api" {
  project_id = data.rnv_project.shop.id
  name       = "api"
}

output "url" {
  value = data.rnv_service.api.url
}
