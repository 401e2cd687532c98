
resource "rnv_service" "s" {
  count = 120
  name  = "s-${count.index}"
  kind  = "web"
}
resource "rnv_variables" "s" {
  count      = <managed>
  service_id = rnv_service.s[count.index].id
  values     = { A = "1" }
}
