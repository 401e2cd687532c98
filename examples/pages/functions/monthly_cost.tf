data "rnv_catalog" "offer" {}

output "monthly_usd" {
  value = provider::rnv::monthly_cost(data.rnv_catalog.offer, {
    kind          = "web"
    configuration = { plan = "standard", replicas = 2 }
  }).usd
}
