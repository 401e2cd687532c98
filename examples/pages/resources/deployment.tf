data "rnv_project" "shop" {
  name = "Shop"
}

data "rnv_service" "site" {
  project_id = data.rnv_project.shop.id
  name       = "site"
}

resource "rnv_variable" "theme" {
  service_id = data.rnv_service.site.id
  key        = "THEME"
  value      = "dark"
}

# Runs in each apply that changes one of its triggers, after them.
resource "rnv_deployment" "example" {
  service_id = data.rnv_service.site.id
  triggers   = { theme = rnv_variable.theme.revision }

  timeouts {
    create = "20m"
    update = "20m"
  }
}
