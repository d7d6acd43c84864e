#include "ui/views/document.h"
