data "rnv_catalog" "now" {}
data "rnv_project" "shop" { name = "Shop" }
data "rnv_service" "api" {
  name       = "api"
  project_id = data.rnv_project.shop.id
}
data "rnv_services" "web" { kind = "web" }
data "rnv_deployments" "api" { service_id = data.rnv_service.api.id }
data "rnv_canvas" "shop" { project_id = data.rnv_project.shop.id }
output "all" {
  value = {
    description = data.rnv_project.shop.description
    repository  = data.rnv_service.api.configuration.repository
    region      = data.rnv_catalog.now.defaults.region
    names       = [for one in data.rnv_services.web.services : one.name]
    deployed    = data.rnv_deployments.api.items[0].trigger
    nodes       = [for one in data.rnv_canvas.shop.nodes : one.name]
    address     = provider::rnv::service_address("shop", "api")
    ungrouped   = provider::rnv::service_address(null, "docs")
    cost        = provider::rnv::monthly_cost(data.rnv_catalog.now, data.rnv_service.api)
    planned     = provider::rnv::monthly_cost(data.rnv_catalog.now, { kind = "web", configuration = { plan = "starter" } }).usd
  }
}
