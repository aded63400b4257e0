"""Texts that only exported pages have; the rest are those of `app.texts`."""

TEXTS = {
    "en": {
        "more": "All settings",
        "fixed": "{key} cannot be set: this file holds one finished run",
        "still": "One finished run, of these settings:",
        "defaults": "the defaults",
        "use_wheel": "Click the picture to zoom with the wheel",
    },
    "zh": {
        "more": "全部设置",
        "fixed": "{key} 不能设置：这个文件只含一次已完成的运行",
        "still": "一次已完成的运行，设置为：",
        "defaults": "默认值",
        "use_wheel": "点击图后可用滚轮缩放",
    },
}
