data "rnv_catalog" "offer" {}

output "plans" {
  value = { for plan in data.rnv_catalog.offer.plans : plan.id => plan.usd }
}
