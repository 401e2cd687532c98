resource "rnv_project" "example" {
  name        = "Record shop"
  description = "Sells records"
  color       = "#2f6fed"
}
