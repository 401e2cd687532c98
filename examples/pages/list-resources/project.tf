# In a file NAME.tfquery.hcl; terraform query -generate-config-out=generated.tf
list "rnv_project" "all" {
  provider = rnv
}
