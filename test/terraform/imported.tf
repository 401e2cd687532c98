
locals {
  ids = {
<ids>
  }
}
import {
  for_each = local.ids
  to       = rnv_service.s[each.key]
  id       = each.value
}
resource "rnv_service" "s" {
  for_each = local.ids
  name     = "s-${each.key}"
  kind     = "web"
  configuration {
    branch = "main"
  }
}
