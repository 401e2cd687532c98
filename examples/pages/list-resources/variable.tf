# In a file NAME.tfquery.hcl; values are never read.
list "rnv_variable" "all" {
  provider         = rnv
  include_resource = true

  config {
    service = "Shop/api"
  }
}
