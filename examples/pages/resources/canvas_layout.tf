data "rnv_project" "shop" {
  name = "Shop"
}

# Gives a place to every service that has none.
resource "rnv_canvas_layout" "example" {
  project_id = data.rnv_project.shop.id
  positions  = "auto"
}
