data "rnv_project" "shop" {
  name = "Shop"
}

output "production" {
  value = data.rnv_project.shop.production_environment_id
}
