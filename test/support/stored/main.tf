resource "rnv_project" "shop" { name = "Shop" }

resource "rnv_service" "api" {
  name       = "api"
  kind       = "web"
  project_id = rnv_project.shop.id
  configuration {
    repository = "https://git.example.com/shop/api"
    branch     = "develop"
    replicas   = 2
  }
}

resource "rnv_variable" "token" {
  service_id = rnv_service.api.id
  key        = "TOKEN"
  value      = "stored-value"
}

resource "rnv_variables" "more" {
  service_id = rnv_service.api.id
  values     = { LOG_LEVEL = "debug" }
}

resource "rnv_deployment" "api" {
  service_id = rnv_service.api.id
  triggers   = { one = "1" }
  depends_on = [rnv_variable.token, rnv_variables.more]
}

resource "rnv_canvas_layout" "shop" {
  project_id = rnv_project.shop.id
  positions  = { api = { x = 10, y = 20 } }
  depends_on = [rnv_service.api]
}
