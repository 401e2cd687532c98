variable "queue_token" {
  description = "Token that the API presents to the queue."
  type        = string
  ephemeral   = true
}

variable "deletion_protection" {
  description = "Refuse every plan that deletes or replaces a project or a service."
  type        = bool
  default     = false
}
