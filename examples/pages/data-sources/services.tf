data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_services" "workers" {
  project_id = data.rnv_project.shop.id
  kind       = "worker"
}

output "workers" {
  value = [for service in data.rnv_services.workers.services : service.name]
}
