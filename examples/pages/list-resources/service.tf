# In a file NAME.tfquery.hcl; terraform query -generate-config-out=generated.tf
list "rnv_service" "all" {
  provider = rnv
  limit    = 100

  config {
    project     = "Shop"
    environment = "Production"
  }
}
