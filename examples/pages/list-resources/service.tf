# In a file NAME.tfquery.hcl; terraform query -generate-config-out=generated.tf
list "rnv_service" "all" {
  provider = rnv
  limit    = 100

  config {
    project_id = "00000000-0000-4000-8000-000000000000"
  }
}
