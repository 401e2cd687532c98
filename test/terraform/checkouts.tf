
resource "rnv_service" "api" {
  name = "api"
  kind = "web"
  configuration {
    repository = "https://git.example.com/shop/api"
    plan       = "<plan>"
  }
}
resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  triggers   = { config = rnv_service.api.revision }
}
