
resource "rnv_service" "api" {
  name = "api"
  kind = "web"
  configuration {
    repository = "https://git.example.com/shop/api"
    branch     = "<branch>"
  }
  <lifecycle>
}
action "rnv_restart" "api" {
  config {
    service_id = rnv_service.api.id
  }
}
