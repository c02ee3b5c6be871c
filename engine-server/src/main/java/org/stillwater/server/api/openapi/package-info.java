/**
 * The OpenAPI description, made of the tables of all resources and of two lists beside this
 * package.
 */
@NullMarked
package org.stillwater.server.api.openapi;

import org.jspecify.annotations.NullMarked;
