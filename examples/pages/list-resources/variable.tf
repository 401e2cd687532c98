# In a file NAME.tfquery.hcl; values are never read.
list "rnv_variable" "all" {
  provider         = rnv
  include_resource = true

  config {
    service_id = "00000000-0000-4000-8000-000000000000"
  }
}
