# Where it runs.
variable "region" {
  type    = string
  default = "eu-west-1"
}

locals {
  tags = { owner = "team" }
}

resource "aws_s3_bucket" "logs" {
  bucket = "logs-${var.region}"
  tags   = local.tags
}

output "bucket" {
  value = aws_s3_bucket.logs.id
}
