data "rnv_catalog" "offer" {}

output "api_url" {
  value = rnv_service.api.url
}

output "estimated_monthly_usd" {
  value = provider::rnv::monthly_cost(data.rnv_catalog.offer, rnv_service.api).usd
}
