data "rnv_project" "shop" {
  name = "Shop"
}

resource "rnv_service" "s" {
  name       = "gateway"
  kind       = "web"
  project_id = data.rnv_project.shop.id
}

# Gives a place to every service that has none; `triggers` names those that are new or replaced in the same apply.
resource "rnv_canvas_layout" "example" {
  project_id = data.rnv_project.shop.id
  positions  = "auto"
  triggers   = { s = rnv_service.s.id }
}
