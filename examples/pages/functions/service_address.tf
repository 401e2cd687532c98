output "address" {
  value = provider::rnv::service_address("shop", "api") # service.shop.api
}
